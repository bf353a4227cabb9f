import { render } from 'vike/abort'
import { findBook } from '../../../lib/library.js'

export function data(pageContext) {
  const book = findBook(pageContext.routeParams.id)
  if (!book) throw render(404, 'This book is not in our list')
  return { book }
}
