// Positions of live pages, `<epoch>.<number>`: see `LivePages`. Those of different epochs cannot be compared.

/** Whether a position comes before another one of the same epoch. */
export function isBefore(position: string, other: string): boolean {
  const [epoch, number] = position.split('.')
  const [otherEpoch, otherNumber] = other.split('.')
  return epoch === otherEpoch && Number(number) < Number(otherNumber)
}
