import classes from './empty-state.module.css'

/** Nothing has failed yet: how to see that this works. */
export function Empty({ hasLedger }: { hasLedger: boolean }) {
  if (!hasLedger)
    return <p className="lead">No failures are kept here, as the option “ledger” is false. The log has them.</p>
  return (
    <div className={classes.empty}>
      <p className="lead">Nothing has failed yet.</p>
      <p>To see what a failure looks like here, let a page throw one:</p>
      <pre className={classes.code}>
        <code>{SAMPLE}</code>
      </pre>
      <p>
        Build the site, start it, open <code>/fail</code>. The page shows a digest, and this page shows the failure a
        moment later, by itself.
      </p>
    </div>
  )
}

const SAMPLE = `// pages/fail.tsx
export default function Fail() {
  throw new Error('to see the console')
}`
