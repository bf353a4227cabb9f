import { redirect } from 'vike/abort'
import { checkPassword } from '../../lib/library.js'

export function data({ form, reply }) {
  if (!form) return { name: '', problem: '' }
  const { name = '', password = '' } = form
  if (!checkPassword(name, password)) return { name, problem: 'This name or this password is wrong.' }
  reply.setCookie('member', name, { path: '/', httpOnly: true, sameSite: 'lax', signed: true })
  throw redirect('/members')
}
