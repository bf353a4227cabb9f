import { redirect } from 'vike/abort'
import { suggestions } from '../../lib/library.js'

export function data({ form }) {
  if (!form) return { values: {}, errors: {} }
  const { title = '', email = '' } = form
  const errors = {}
  if (title.trim().length < 2) errors.title = 'Enter the title.'
  if (!email.includes('@')) errors.email = 'Enter an e-mail address.'
  if (Object.keys(errors).length > 0) return { values: { title, email }, errors }
  suggestions.push(title.trim())
  throw redirect('/')
}
