export class CartError extends Error {
  constructor(message: string) {
    super(message)
    this.name = new.target.name
  }
}
export class Cart {
  total() {
    throw new CartError('no total')
  }
}
export class Basket {
  constructor() {
    throw new CartError('no total')
  }
}
export function countAll(items: number[]) {
  return items.map((item) => {
    throw new RangeError(`cannot count ${item}`)
  })
}
