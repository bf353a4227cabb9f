import { useSubmission } from 'hydrant/react'
import classes from './notes.module.css'

/** Reports a note in place. Nothing on the page changes, so no load runs. */
export function ReportNote({ id }: { id: number }) {
  const report = useSubmission('/notes/report')
  return (
    <>
      <form {...report.form}>
        <input type="hidden" name="id" value={id} />
        <button type="submit" className={classes.plain} aria-label={`Report note ${id}`}>
          {report.isPending ? 'Reporting…' : 'Report'}
        </button>
      </form>
      <span role="status">{report.data && 'Thank you.'}</span>
      {report.error && (
        <p role="alert" className={classes.refusal}>
          {report.error.message}
        </p>
      )}
    </>
  )
}
