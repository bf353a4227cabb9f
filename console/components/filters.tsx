import { href } from 'hydrant/react'
import classes from './filters.module.css'

const SPANS = [
  ['', 'any time'],
  ['1h', 'last hour'],
  ['24h', 'last 24 hours'],
  ['7d', 'last 7 days'],
  ['30d', 'last 30 days'],
] as const

const SIDES = [
  ['', 'both sides'],
  ['server', 'server'],
  ['client', 'client'],
] as const

const STATES = [
  ['', 'open'],
  ['true', 'solved'],
  ['all', 'open and solved'],
] as const

const ORDERS = [
  ['', 'last seen'],
  ['first', 'newest'],
  ['count', 'most frequent'],
] as const

/** "This release" is the selected release, or the running one if none is selected. */
const NEW = [
  ['', 'in any release'],
  ['true', 'in this release'],
] as const

/** A plain GET form: the URL contains the filters. */
export function Filters({ params, releases }: { params: URLSearchParams; releases: readonly string[] }) {
  return (
    <search>
      <form className={classes.form} action={href('/')}>
        <Choice name="solved" label="State" options={STATES} params={params} />
        <Choice name="side" label="Side" options={SIDES} params={params} />
        <Choice name="since" label="Seen" options={SPANS} params={params} />
        <Choice name="sort" label="Order" options={ORDERS} params={params} />
        <Choice name="release" label="Release" options={toOptions(releases)} params={params} />
        <Choice name="new" label="First seen" options={NEW} params={params} />
        <Text name="route" label="Route" hint="/products/[id]" params={params} />
        <Text name="search" label="Text" hint="type, message or file" params={params} />
        <div className={`${classes.buttons} ${classes.wide}`}>
          <button type="submit" className="button">
            Filter
          </button>
          {params.size > 0 && <a href={href('/')}>Clear</a>}
        </div>
      </form>
    </search>
  )
}

function toOptions(releases: readonly string[]) {
  return [['', 'all'] as const, ...releases.map((name) => [name, name] as const)]
}

interface FieldProps {
  name: string
  label: string
  params: URLSearchParams
}

function Choice({
  name,
  label,
  options,
  params,
}: FieldProps & { options: readonly (readonly [value: string, text: string])[] }) {
  const typed = params.get(name) ?? ''
  const isKnown = options.some(([value]) => value === typed)
  return (
    <label className={classes.field}>
      <span>{label}</span>
      <select name={name} defaultValue={typed}>
        {!isKnown && <option value={typed}>{typed}</option>}
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}

function Text({ name, label, hint, params }: FieldProps & { hint: string }) {
  return (
    <label className={`${classes.field} ${classes.wide}`}>
      <span>{label}</span>
      <input name={name} defaultValue={params.get(name) ?? ''} placeholder={hint} autoComplete="off" />
    </label>
  )
}
