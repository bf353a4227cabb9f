interface Product {
  name: string
  stock: { count: number }
}

/** What a warehouse sends. Its types promise a stock, which number 8 does not have: its page fails, for the first page. */
export const products: Readonly<Record<string, Product>> = JSON.parse(`{
  "7": { "name": "Fire hose, 20 m", "stock": { "count": 12 } },
  "8": { "name": "Standpipe", "stock": null }
}`)
