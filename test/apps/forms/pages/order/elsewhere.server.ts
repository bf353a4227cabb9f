export { action } from '../order.server.ts'
