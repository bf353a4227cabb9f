import { sendUpload } from '../shared.server.ts'

export const stream = false
export const load = sendUpload
