import { href } from 'hydrant/react'
import { useEffect, useRef } from 'react'
import classes from './notes.module.css'

interface NoteSearchProps {
  /** The text that the notes on the page contain; empty if the page shows all. */
  q: string
  found: number
  count: number
}

/** A form with the method GET: the browser itself writes the text into the URL. */
export function NoteSearch({ q, found, count }: NoteSearchProps) {
  const input = useRef<HTMLInputElement>(null)
  const shown = useRef(q)

  // After Back, or a link to another search, the input has the text of the earlier one. What the visitor has typed since
  // stays.
  useEffect(() => {
    if (input.current?.value.trim() === shown.current) input.current.value = q
    shown.current = q
  }, [q])

  return (
    <form method="get" action={href('/notes', {}, { hash: 'list' })} className={classes.search}>
      <label htmlFor="q">Search the notes</label>
      <div>
        <input type="search" id="q" name="q" ref={input} defaultValue={q} />
        <button type="submit" className="button">
          Search
        </button>
      </div>
      <p role="status">{q !== '' && `${found} of ${count} notes contain “${q}”.`}</p>
      {q !== '' && <a href={href('/notes', {}, { hash: 'list' })}>Show all notes</a>}
    </form>
  )
}
