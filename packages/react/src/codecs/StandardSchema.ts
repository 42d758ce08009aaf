/** What went wrong, and where. */
export interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

type Result<TOutput> =
  { readonly value: TOutput; readonly issues?: undefined } | { readonly issues: readonly SchemaIssue[] }

/** A schema of Zod, Valibot, ArkType and others: what Standard Schema, version 1, wants of it. */
export interface StandardSchema<TOutput> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => Result<TOutput> | Promise<Result<TOutput>>
  }
}
