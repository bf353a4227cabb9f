// `useRestoredState` in the browser. The build puts this module in place of `src/shared/tree/use-restored-state.ts`, into a
// script that only pages with the hook load.

import { useContext, useLayoutEffect, useState } from 'react'
import { browser } from '../shared/tree/browser.ts'
import { contextOf } from '../shared/tree/page-values.ts'
import { type Address, PlatformContext } from '../shared/tree/platform.ts'
import type { useRestoredState as Hook } from '../shared/tree/use-restored-state.ts'
import { FORM, KEPT_MS, type Owned } from '../shared/wire/kept-owner.ts'
import { unflatten } from '../shared/wire/unflatten.ts'
import { serialize } from '../shared/wire/values.ts'

/** The state of a page that the visitor has left. */
export interface KeptState extends Owned {
  /** The path and the query of the page. */
  page: string
  /** Results of `serialize`, by the keys of the hooks. */
  values: Record<string, string>
}

/** A mounted hook. */
interface Entry {
  initial: unknown
  value: unknown
  page: string
  /** Whether a field with the key as its name has been secret. */
  isSecret: boolean
}

const MAX_PAGES = 20
const MAX_VALUE_LENGTH = 16_384
const MAX_LENGTH = 131_072

const mounted = new Map<string, Entry>()
/** The values of the page that the visitor has come to, which no hook has taken yet. */
let arrived: Record<string, string> = {}
/** The page for which a form has been looked for since the visitor came to it. */
let searched: string | undefined

export const useRestoredState: typeof Hook = (key, initial) => {
  const [value, setValue] = useState(initial)
  const { url } = useContext(contextOf('url')) as Partial<Address>
  const isRefused = useContext(PlatformContext).extras?.invalid !== undefined
  const [entry] = useState((): Entry => ({ initial: value, value, page: '', isSecret: false }))
  useLayoutEffect(() => {
    entry.value = value
    entry.page = [url?.pathname, url?.search].join('')
    entry.isSecret ||= isSecret(key)
  })
  useLayoutEffect(() => {
    if (HYDRANT_DEV && mounted.has(key)) warn(key, 'two components that are mounted have this key')
    mounted.set(key, entry)
    const text = take(key, entry.page, isRefused)
    if (text !== undefined) setValue(() => revive(text) as typeof value)
    return () => {
      if (mounted.get(key) === entry) mounted.delete(key)
    }
  }, [key])
  return [value, setValue]
}

/** Keeps the state of the page under a key. */
function keep(key: Owned['key']) {
  const values: KeptState['values'] = {}
  let page = ''
  for (const [name, entry] of mounted) {
    const text = Object.is(entry.value, entry.initial) || entry.isSecret || isSecret(name) ? null : write(name, entry)
    if (text !== null) values[name] = text
    page = entry.page
  }
  const others = read().filter((kept) => kept.key !== key)
  const isEmpty = Object.keys(values).length === 0
  save(isEmpty ? others : [...others, { key, page, values, at: Date.now(), by: visitor() }])
}

function take(name: string, page: string, isRefused: boolean): string | undefined {
  if (searched !== page) {
    searched = page
    const isOfForm = (kept: KeptState, index: number, { length }: readonly KeptState[]) =>
      kept.page === page && (kept.key === FORM || (isRefused && index === length - 1))
    arrived = { ...giveBack(isOfForm), ...arrived }
  }
  const text = arrived[name]
  delete arrived[name]
  return text
}

/** To be called when the visitor has come to an entry of the history. */
function arrive(type: string | null | undefined) {
  searched = undefined
  const isReturn = /^(?:traverse|back_forward|reload)$/.test(type ?? '')
  arrived = isReturn ? giveBack(({ key }) => key === entryKey()) : {}
}

/** Returns the values of a kept page, and forgets them, if they belong to the visitor. */
function giveBack(isWanted: (kept: KeptState, index: number, all: readonly KeptState[]) => boolean) {
  const all = read()
  const found = all.find((kept, ...rest) => (!kept.by || kept.by === visitor()) && isWanted(kept, ...rest))
  if (found) save(all.filter((kept) => kept !== found))
  return found?.values ?? {}
}

function entryKey(): string {
  return 'navigation' in window ? (navigation.currentEntry?.key ?? '') : location.href
}

/** Returns what is kept, without what is too old. */
function read(): KeptState[] {
  try {
    const all = JSON.parse(sessionStorage.getItem('hydrantState') ?? '[]') as KeptState[]
    return all.filter(({ at }) => Date.now() - at < KEPT_MS)
  } catch {
    return []
  }
}

function save(all: readonly KeptState[]) {
  const kept = all.slice(-MAX_PAGES)
  while (JSON.stringify(kept).length > MAX_LENGTH) kept.shift()
  // It throws if the storage is full or forbidden.
  try {
    sessionStorage.setItem('hydrantState', JSON.stringify(kept))
  } catch {}
}

/** Returns the last known mark; empty for nobody, and if the site does not say. */
function visitor(): string {
  try {
    return sessionStorage.getItem('hydrantVisitor') ?? ''
  } catch {
    return ''
  }
}

/** Returns whether a field of that name contains what a browser does not keep either. */
function isSecret(name: string): boolean {
  return [...document.getElementsByName(name)].some((field) => {
    const { type, form } = field as HTMLInputElement
    // An input whose name is the name of one of the form's methods hides that method.
    const { getAttribute } = Element.prototype
    const autocomplete = field.getAttribute('autocomplete') ?? (form && getAttribute.call(form, 'autocomplete'))
    return type === 'password' || autocomplete?.toLowerCase() === 'off'
  })
}

/** Returns null for a value that cannot be kept. */
function write(name: string, { value }: Entry): string | null {
  try {
    const text = serialize(value, () => {
      throw new TypeError('Cannot keep a promise')
    })
    if (text.length <= MAX_VALUE_LENGTH) return text
    if (HYDRANT_DEV) warn(name, `the value has ${text.length} characters, and at most ${MAX_VALUE_LENGTH} are kept`)
  } catch (error) {
    if (HYDRANT_DEV) warn(name, `a value of the type ${typeOf(value)} is not kept`, error)
  }
  return null
}

function revive(text: string): unknown {
  const flat = JSON.parse(text)
  return typeof flat === 'object' && !Array.isArray(flat) ? flat.plain : unflatten(flat)
}

const typeOf = (value: unknown) => (value as object | null | undefined)?.constructor?.name ?? typeof value

const warned = new Set<string>()

function warn(name: string, problem: string, error: unknown = '') {
  const text = `useRestoredState(${JSON.stringify(name)}): ${problem}.`
  if (!warned.has(text)) console.error(text, error)
  warned.add(text)
}

if ('navigation' in window)
  // Without a transition, the visitor stays in the page.
  navigation.addEventListener(
    'currententrychange',
    ({ navigationType }) => navigation.transition && arrive(navigationType),
  )
addEventListener('pagehide', () => keep(entryKey()))
const [loading] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
// A visitor who comes to the first page with the hook has begun a navigation, or loads the document.
arrive((window.navigation?.transition ?? null)?.navigationType ?? loading?.type)
browser.keepState = keep
