import { useSubmission } from 'hydrant/react'
import type { FormEvent } from 'react'
import type { Note } from '../notes/note.ts'
import classes from './notes.module.css'

interface DeleteNoteProps {
  note: Note
  /** The search of the list that the visitor returns to (none). */
  q?: string
  onSubmit?(): void
}

/** Deletes a note in place. Without JavaScript, the browser sends the form and shows the list again. */
export function DeleteNote({ note: { id, isOwn }, q = '', onSubmit }: DeleteNoteProps) {
  const deletion = useSubmission('/notes/[id]', { id })

  function submit(event: FormEvent<HTMLFormElement>) {
    onSubmit?.()
    deletion.form.onSubmit(event)
  }

  return (
    <>
      {isOwn && (
        <form {...deletion.form} onSubmit={submit}>
          <input type="hidden" name="q" value={q} />
          <button
            type="submit"
            className={classes.delete}
            name="intent"
            value="delete"
            aria-label={`Delete note ${id}`}
          >
            {deletion.isPending ? 'Deleting…' : 'Delete'}
          </button>
        </form>
      )}
      {deletion.error && (
        <p role="alert" className={classes.refusal}>
          {deletion.error.message}
        </p>
      )}
    </>
  )
}
