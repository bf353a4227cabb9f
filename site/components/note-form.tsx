import { href, type PageProps, useNavigation } from 'hydrant/react'
import type { Ref } from 'react'
import { colours, MAX_LENGTH } from '../notes/note.ts'
import classes from './notes.module.css'

interface NoteFormProps extends Pick<PageProps<'/notes'>, 'fields' | 'invalid'> {
  field: Ref<HTMLTextAreaElement>
  onSubmit(): void
}

/** A plain HTML form. The server renders the message about a mistake, with or without JavaScript. */
export function NoteForm({ fields, invalid, field, onSubmit }: NoteFormProps) {
  const navigation = useNavigation()
  const isPending = navigation.state === 'submitting' && navigation.url.pathname === href('/notes')
  const problem = fields.text.issues.length > 0 ? `${fields.text.errorId} ` : ''
  return (
    <form method="post" action={href('/notes')} className={classes.form} onSubmit={onSubmit}>
      {invalid?.issues[''] && <p role="alert">{invalid.issues['']}</p>}
      <label htmlFor="text">Your note</label>
      <textarea id="text" rows={4} ref={field} {...fields.text} aria-describedby={`${problem}text-hint`} />
      {problem && (
        <p id={fields.text.errorId} className={classes.problem}>
          {fields.text.issues}
        </p>
      )}
      <p id="text-hint" className={classes.hint}>
        At most {MAX_LENGTH} characters. Everybody can read it: no names, nothing personal. A cookie remembers that it
        is yours, so only you can delete it.
      </p>
      <fieldset>
        <legend>Colour of its sign</legend>
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
