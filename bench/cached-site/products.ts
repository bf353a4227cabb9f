export interface Product {
  id: number
  name: string
  price: number
}

const COUNT = 20

/** Creates new objects for each call, as a database query would. */
export function listProducts(): Product[] {
  return Array.from({ length: COUNT }, (_, index) => ({ id: index, name: `Product number ${index}`, price: index * 3 }))
}
