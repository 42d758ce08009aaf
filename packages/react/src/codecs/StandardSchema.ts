/** A problem that the schema found, and its place. */
export interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

type Result<TOutput> =
  { readonly value: TOutput; readonly issues?: undefined } | { readonly issues: readonly SchemaIssue[] }

/** A schema of Zod, Valibot, ArkType and others: the interface of Standard Schema, version 1. */
export interface StandardSchema<TOutput> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => Result<TOutput> | Promise<Result<TOutput>>
  }
}
