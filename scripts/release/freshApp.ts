import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { BASIC, STRICT_TYPES } from '../consumer/builds/basic.js'
import { runIn } from '../consumer/runIn.js'
import { versionsOf } from '../consumer/versions.js'
import { PACKAGES } from '../packages.js'

const INSTALL = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']

/** Makes an application whose packages come from a registry by name and version, type-checks it and runs it. */
export async function runFreshApp(
  folder: string,
  { version, env }: { version: string; env: NodeJS.ProcessEnv },
): Promise<void> {
  mkdirSync(folder)
  cpSync(resolve(import.meta.dirname, '../consumer/apps/basic'), folder, { recursive: true })
  const own = Object.fromEntries(PACKAGES.map((name) => [`@stagepass/${name}`, version]))
  const dependencies = { ...BASIC, ...versionsOf('typescript'), ...own }
  const manifest = { name: 'app', private: true, type: 'module', dependencies }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2))
  const tsconfig = { compilerOptions: STRICT_TYPES, include: ['*.ts', '*.tsx'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig, null, 2))
  await runIn(folder, 'npm', INSTALL, { env, limitSeconds: 600 })
  await runIn(folder, 'npx', ['--no-install', 'tsc'])
  await runIn(folder, 'node', ['out/server.js'])
  await runIn(folder, 'node', ['out/page.js'])
}

/** Writes what a user of the packages gets, and nothing else, as a bill of materials. It is checked against the schema of CycloneDX. */
export async function writeBillOfMaterials(
  folder: string,
  {
    file,
    version,
    env,
    cyclonedx,
  }: { file: string; version: string; env: NodeJS.ProcessEnv; cyclonedx: string },
): Promise<void> {
  mkdirSync(folder)
  const dependencies = Object.fromEntries(PACKAGES.map((name) => [`@stagepass/${name}`, version]))
  const manifest = { name: 'stagepass', version, private: true, license: 'MIT', dependencies }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2))
  await runIn(folder, 'npm', INSTALL, { env, limitSeconds: 600 })
  const options = ['--validate', '--output-reproducible', '--output-format=JSON']
  await runIn(folder, cyclonedx, [...options, `--output-file=${file}`], { env })
}
