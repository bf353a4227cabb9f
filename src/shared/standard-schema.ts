// The types of Standard Schema (https://standardschema.dev), which many validation libraries implement. They are
// written here, as the specification suggests, so that the types of this package depend on no other package.

/** A schema of any library that implements Standard Schema: zod, valibot, arktype and others. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

/** The result of a validation: the output, or the issues. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

export interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

type TypesOf<Schema> = Schema extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types>
  : never

/** The type of the values that a schema accepts. */
export type SchemaInput<Schema> = TypesOf<Schema> extends { readonly input: infer Input } ? Input : unknown

/** The type of the values that a schema returns. */
export type SchemaOutput<Schema> = TypesOf<Schema> extends { readonly output: infer Output } ? Output : unknown
