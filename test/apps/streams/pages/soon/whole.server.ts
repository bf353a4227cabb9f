export { load } from './parts.server.ts'

export const stream = false
