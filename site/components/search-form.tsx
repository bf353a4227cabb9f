import { href } from 'hydrant/react'
import { useEffect, useRef } from 'react'
import classes from './search-form.module.css'
import { useQueryInput } from './use-query-input.ts'

/** How long a visitor stops typing before the results appear. */
const PAUSE_MS = 200
/** The `info` of a navigation that happens while the visitor types. */
const TYPING = 'typing'

/**
 * The search of the documentation. The browser itself writes the text into the URL. With JavaScript, the results replace
 * the page in place, also while the visitor types, and Ctrl+K or ⌘K leads to the input. `q` is the search of the page;
 * null on other pages.
 */
export function SearchForm({ q }: { q: string | null }) {
  const input = useQueryInput(q ?? '')
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return
      event.preventDefault()
      input.current?.focus()
      input.current?.select()
    }
    // The visitor goes on typing.
    function onNavigate(event: NavigateEvent) {
      if (event.info === TYPING) event.intercept({ focusReset: 'manual' })
    }
    const navigation = 'navigation' in window ? window.navigation : null
    document.addEventListener('keydown', onKeyDown)
    navigation?.addEventListener('navigate', onNavigate)
    return () => {
      clearTimeout(timer.current)
      document.removeEventListener('keydown', onKeyDown)
      navigation?.removeEventListener('navigate', onNavigate)
    }
  }, [input])

  function showResults() {
    const typed = input.current?.value.trim() ?? ''
    const isLeft = document.activeElement !== input.current
    if (!('navigation' in window) || isLeft || typed === (q ?? '')) return
    // One step of Back leads to the page before the search. Earlier results may be on their way.
    const history = location.pathname === href('/docs/search') ? 'replace' : 'push'
    const results = href('/docs/search', {}, { search: { q: typed } })
    const { committed, finished } = navigation.navigate(results, { history, info: TYPING })
    // The visitor may send the form before they are there.
    void Promise.allSettled([committed, finished])
  }

  return (
    // The hash leads the keyboard to the results: the next Tab selects the first one.
    <search>
      <form
        method="get"
        action={href('/docs/search', {}, { hash: 'results' })}
        className={classes.form}
        onSubmit={() => clearTimeout(timer.current)}
      >
        <label htmlFor="docs-q">Search the documentation</label>
        <div>
          <input
            type="search"
            id="docs-q"
            name="q"
            ref={input}
            defaultValue={q ?? ''}
            onChange={() => {
              clearTimeout(timer.current)
              timer.current = setTimeout(showResults, PAUSE_MS)
            }}
            maxLength={200}
            aria-keyshortcuts="Control+K Meta+K"
          />
          <button type="submit" className="button button-quiet">
            Search
          </button>
        </div>
      </form>
    </search>
  )
}
