'use server'

import { cookies } from 'next/headers'
import { redirect } from 'next/navigation'
import { checkPassword } from '@/lib/library'
import { sign } from '@/lib/session'

export interface State {
  name: string
  problem: string
}

export async function signIn(_state: State, form: FormData): Promise<State> {
  const name = String(form.get('name') ?? '')
  if (!checkPassword(name, String(form.get('password') ?? ''))) {
    return { name, problem: 'This name or this password is wrong.' }
  }
  const jar = await cookies()
  jar.set('member', sign(name), { path: '/', httpOnly: true, sameSite: 'lax' })
  redirect('/members')
}
