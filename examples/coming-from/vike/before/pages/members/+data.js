import { suggestions } from '../../lib/library.js'

export function data({ member }) {
  return { name: member, suggestions }
}
