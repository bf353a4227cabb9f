import { href, useNavigation } from 'hydrant/react'
import type { Ref } from 'react'
import { colours, MAX_LENGTH, type Refused } from '../notes/note.ts'
import classes from './notes.module.css'

interface NoteFormProps {
  refused: Refused | undefined
  field: Ref<HTMLTextAreaElement>
  onSubmit(): void
}

/** A plain HTML form. The server renders the message about a mistake, with or without JavaScript. */
export function NoteForm({ refused, field, onSubmit }: NoteFormProps) {
  const navigation = useNavigation()
  const isPending = navigation.state === 'submitting' && navigation.url.pathname === href('/notes')
  return (
    <form method="post" action={href('/notes')} className={classes.form} onSubmit={onSubmit}>
      <label htmlFor="text">Your note</label>
      <textarea
        id="text"
        name="text"
        rows={4}
        ref={field}
        defaultValue={refused?.text}
        // biome-ignore lint/a11y/noAutofocus: only when the visitor has to correct a mistake
        autoFocus={refused !== undefined}
        aria-invalid={refused ? true : undefined}
        aria-describedby={refused ? 'text-problem text-hint' : 'text-hint'}
      />
      {refused && (
        <p id="text-problem" className={classes.problem}>
          {refused.problem}
        </p>
      )}
      <p id="text-hint" className={classes.hint}>
        At most {MAX_LENGTH} characters. Everybody can read it and delete it: no names, nothing personal.
      </p>
      <fieldset>
        <legend>Colour of its sign</legend>
        {colours.map((colour) => (
          <label key={colour}>
            <input
              type="radio"
              name="colour"
              value={colour}
              defaultChecked={colour === (refused?.colour ?? colours[0])}
            />{' '}
            {colour}
          </label>
        ))}
      </fieldset>
      <button type="submit" className="button" aria-disabled={isPending || undefined}>
        {isPending ? 'Adding…' : 'Add the note'}
      </button>
    </form>
  )
}
