const EUROS = new Intl.NumberFormat('en', { style: 'currency', currency: 'EUR' })

export function Price({ cents }: { cents: number }) {
  return <span className="tabular-nums">{EUROS.format(cents / 100)}</span>
}
