import { sendUpload } from '../shared.server.ts'

export const load = sendUpload
