import type { ReactNode } from 'react'
import type { NewNote, Note } from '../notes/note.ts'
import classes from './notes.module.css'

interface NoteSignProps {
  note: Note
  /** The actions for the note. */
  children: ReactNode
}

export function NoteSign({ note, children }: NoteSignProps) {
  return (
    <div className={classes.sign} data-colour={note.colour}>
      <p className={classes.text}>{note.text}</p>
      <div className={classes.foot}>
        <time dateTime={note.writtenAt.toISOString()}>{timeOf(note.writtenAt)}</time>
        {children}
      </div>
    </div>
  )
}

/** A note that the server has not stored yet. */
export function PendingSign({ note }: { note: NewNote }) {
  return (
    <div className={`${classes.sign} ${classes.pending}`} data-colour={note.colour}>
      <p className={classes.text}>{note.text}</p>
      <div className={classes.foot}>Adding…</div>
    </div>
  )
}

// In UTC, because the server and the browser may be in different time zones.
function timeOf(date: Date): string {
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
