export const KINDS = ['paper', 'pens', 'ink'] as const

export interface Product {
  id: string
  name: string
  kind: (typeof KINDS)[number]
  /** In cents. */
  price: number
  text: string
  /** The address of the photo, if there is one. */
  photo: string | null
}

/** A placeholder for your database. Its changes are lost when the server stops. */
const products: Product[] = [
  { id: 'notebook', name: 'Notebook', kind: 'paper', price: 1200, text: '160 pages, sewn, with dots.', photo: null },
  { id: 'letters', name: 'Letter paper', kind: 'paper', price: 900, text: '50 sheets of cotton paper.', photo: null },
  { id: 'fountain-pen', name: 'Fountain pen', kind: 'pens', price: 4900, text: 'A steel nib, fine.', photo: null },
  { id: 'pencil', name: 'Pencil', kind: 'pens', price: 250, text: 'Cedar, for drawing.', photo: null },
  { id: 'blue-ink', name: 'Blue ink', kind: 'ink', price: 1450, text: '50 ml. It dries fast.', photo: null },
]

export function findProduct(id: string): Product | undefined {
  return products.find((product) => product.id === id)
}

export function searchProducts(text: string, kind: Product['kind'] | undefined, sort: 'name' | 'price'): Product[] {
  const found = products.filter(
    (product) =>
      (kind === undefined || product.kind === kind) && product.name.toLowerCase().includes(text.toLowerCase()),
  )
  return found.sort((a, b) => (sort === 'price' ? a.price - b.price : a.name.localeCompare(b.name)))
}

export function addProduct(product: Product) {
  products.push(product)
}
