import { href, type PageProps } from 'hydrant/react'
import classes from '../../components/notes.module.css'
import { PageHead } from '../../components/page-head.tsx'

export default function Report({ actionData, fields }: PageProps<'/notes/report'>) {
  return (
    <>
      <PageHead title="Report a note" description="Tell the operator of this site about a note." />
      <h1>Report a note</h1>
      {actionData ? (
        <p role="status">Thank you. The operator of this site reads the reports, and removes what breaks its rules.</p>
      ) : (
        <form method="post" className={classes.form}>
          <label htmlFor="id">Number of the note</label>
          <input id="id" {...fields.id} />
          {fields.id.issues.length > 0 && (
            <p id={fields.id.errorId} className={classes.problem}>
              {fields.id.issues}
            </p>
          )}
          <button type="submit" className="button">
            Report it
          </button>
        </form>
      )}
      <p>
        <a href={href('/notes')}>All notes</a>
      </p>
    </>
  )
}
