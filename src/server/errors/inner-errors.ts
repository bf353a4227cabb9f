/** An error with its cause and, for an AggregateError, its errors. */
interface Nested<Inner> {
  cause?: Inner
  errors?: readonly Inner[]
}

/** Returns the causes of an error and the errors of an AggregateError, with theirs, in the order in which they are shown. */
export function innerErrorsOf<Inner extends Nested<Inner>>({ cause, errors = [] }: Nested<Inner>): Inner[] {
  return (cause ? [cause, ...errors] : errors).flatMap((inner) => [inner, ...innerErrorsOf(inner)])
}
