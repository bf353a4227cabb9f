import { href } from 'hydrant/react'
import { useEffect } from 'react'
import classes from './search-form.module.css'
import { useQueryInput } from './use-query-input.ts'

/**
 * The search of the documentation. The browser itself writes the text into the URL. With JavaScript, the results replace
 * the page in place, and Ctrl+K or ⌘K leads to the input.
 */
export function SearchForm({ q }: { q: string }) {
  const input = useQueryInput(q)

  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return
      event.preventDefault()
      input.current?.focus()
      input.current?.select()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [input])

  return (
    // The hash leads the keyboard to the results: the next Tab selects the first one.
    <search>
      <form method="get" action={href('/docs/search', {}, { hash: 'results' })} className={classes.form}>
        <label htmlFor="docs-q">Search the documentation</label>
        <div>
          <input
            type="search"
            id="docs-q"
            name="q"
            ref={input}
            defaultValue={q}
            maxLength={200}
            aria-keyshortcuts="Control+K Meta+K"
          />
          <button type="submit" className="button">
            Search
          </button>
        </div>
      </form>
    </search>
  )
}
