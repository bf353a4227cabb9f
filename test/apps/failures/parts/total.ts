export function total(basket: { items: number[] }) {
  // A line of comment.
  return basket.items.length // place: import
}
