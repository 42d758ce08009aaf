import { packPackages } from '../consumer/packPackages.js'

/* Builds the packages of the tree in which it lies, and packs them into the folder that is named. */

await packPackages(process.argv[2] ?? '')
