import { type ActionContext, localPath, redirect } from 'hydrant'
import { href } from 'hydrant/react'
import { z } from 'zod'

export const form = z.object({ theme: z.enum(['light', 'dark', 'system']), from: z.string().default('/') })

export function action({ input, reply }: ActionContext<'/theme'>) {
  reply.setCookie('theme', input.theme, { path: href('/'), maxAge: 365 * 24 * 60 * 60, sameSite: 'lax' })
  redirect(localPath(input.from, '/'))
}
