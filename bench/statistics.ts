/** Returns the median and, in parentheses, the quartiles. */
export function spread(values: readonly number[], show: (value: number) => string): string {
  const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => show(quantile(values, share)))
  return `${middle} (${low} to ${high})`
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** Returns a quantile of the values, interpolated between the two nearest; NaN without values. */
function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const place = (sorted.length - 1) * share
  const [low = Number.NaN, high = low] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]]
  return low + (high - low) * (place - Math.floor(place))
}
