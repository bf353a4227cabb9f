import { href, type PageProps, type Submission } from 'hydrant/react'
import { useEffect, useRef } from 'react'
import { colours, MAX_LENGTH } from '../notes/note.ts'
import classes from './notes.module.css'

interface NoteFormProps extends Pick<PageProps<'/notes'>, 'fields'> {
  submission: Submission<unknown>
}

/** Adds a note in place. Without JavaScript it is a plain HTML form, and the page shows its message about a mistake. */
export function NoteForm({ fields, submission }: NoteFormProps) {
  const { error, form, formData, invalid, isPending } = submission
  const element = useRef<HTMLFormElement>(null)
  const wasSent = useRef(false)
  const issues = invalid?.issues.text

  useEffect(() => {
    const isShown = wasSent.current && !formData && !invalid && !error
    wasSent.current = formData !== undefined
    if (!isShown) return
    element.current?.reset()
    element.current?.querySelector('textarea')?.focus()
  }, [formData, invalid, error])

  return (
    <form {...form} action={href('/notes')} className={classes.form} ref={element}>
      {error && <p role="alert">{error.message}</p>}
      {invalid?.issues[''] && <p role="alert">{invalid.issues['']}</p>}
      <label htmlFor="text">Your note</label>
      <textarea
        id="text"
        rows={4}
        {...fields.text}
        aria-invalid={issues ? true : undefined}
        aria-describedby={issues ? `${fields.text.errorId} text-hint` : 'text-hint'}
      />
      {issues && (
        <p id={fields.text.errorId} className={classes.problem}>
          {issues}
        </p>
      )}
      <p id="text-hint" className={classes.hint}>
        At most {MAX_LENGTH} characters. Everybody can read it: no names, nothing personal. A cookie remembers that it
        is yours, so only you can delete it.
      </p>
      <fieldset>
        <legend>Color of its sign</legend>
        {colours.map((colour) => (
          <label key={colour}>
            <input type="radio" defaultChecked={colour === colours[0]} {...fields.colour.option(colour)} /> {colour}
          </label>
        ))}
      </fieldset>
      <button type="submit" className="button" aria-disabled={isPending || undefined}>
        {isPending ? 'Adding…' : 'Add the note'}
      </button>
    </form>
  )
}
