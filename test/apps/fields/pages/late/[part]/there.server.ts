export { action } from './index.server.ts'
