export { action } from './kinds.server.ts'
