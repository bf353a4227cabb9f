/** A form that was not accepted. */
export interface Invalid {
  /** The messages of each field by its name (`items[0].name`), and those of the whole form by the empty name. */
  issues: Record<string, string[]>
  /** The texts of the form by the names of their fields, without files and secrets. */
  values: Record<string, string | string[]>
}

/** The props that a page has in addition to its data. Each is missing if the page has none. */
export interface PageExtras {
  /** The value that the page's action returned. */
  actionData?: unknown
  /** The form that was sent and not accepted. */
  invalid?: Invalid
  /** The output of the schema `params`. */
  params?: unknown
  /** The output of the schema `search`. */
  search?: unknown
  /** The promise of the page's `loadVisitor`. */
  visitorData?: PromiseLike<unknown>
}
