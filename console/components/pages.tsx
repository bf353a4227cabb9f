import { href } from 'hydrant/react'
import classes from './pages.module.css'

/** Links to the next page of the list and back to the first. */
export function Pages({ next, params }: { next: string | null; params: URLSearchParams }) {
  const isFirst = !params.has('after')
  if (isFirst && next === null) return null
  return (
    <nav aria-label="Pages" className={classes.pages}>
      {!isFirst && <a href={hrefOf(params, null)}>First page</a>}
      {next !== null && (
        <a href={hrefOf(params, next)} rel="next">
          Next page
        </a>
      )}
    </nav>
  )
}

function hrefOf(params: URLSearchParams, after: string | null): string {
  const search = new URLSearchParams(params)
  search.delete('after')
  if (after !== null) search.set('after', after)
  return href('/', {}, { search })
}
