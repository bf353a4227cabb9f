import classes from './empty-state.module.css'

/** The list before the first failure: explains how to produce one. */
export function EmptyState({ hasLedger }: { hasLedger: boolean }) {
  if (!hasLedger)
    return <p className="lead">No failures are kept here, because the option “ledger” is false. The log has them.</p>
  return (
    <div className={classes.empty}>
      <p className="lead">Nothing has failed yet.</p>
      <p>To see a failure here, make a page throw:</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      {/* biome-ignore lint/a11y/useSemanticElements: a section would need a heading of its own */}
      <pre className={classes.code} tabIndex={0} role="region" aria-label="pages/fail.tsx">
        <code>{SAMPLE}</code>
      </pre>
      <p>
        Build the site, start it and open <code>/fail</code>. The page shows a digest. A moment later, the failure
        appears here.
      </p>
    </div>
  )
}

const SAMPLE = `// pages/fail.tsx
export default function Fail() {
  throw new Error('to see the console')
}`
