import { listProducts } from '../products.ts'

export const load = () => ({ products: listProducts() })
