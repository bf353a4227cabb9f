import { z } from 'zod'

/** The path has no such parameter. */
export const params = z.object({ idd: z.string() })
