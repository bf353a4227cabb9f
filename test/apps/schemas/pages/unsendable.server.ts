import { z } from 'zod'

export const search = z.object({}).transform(() => ({ run: () => {} }))
