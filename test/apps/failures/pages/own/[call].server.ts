import { createServer, HttpError, type LoadContext, parseDigest, redirect } from 'hydrant'
import { href, useNavigation } from 'hydrant/react'
import { cloneElement } from 'react'

/** Calls that Hydrant and React refuse, also those that the types refuse. */
const calls: Readonly<Record<string, () => unknown>> = {
  href() {
    // @ts-expect-error: a parameter is missing
    return href('/own/[call]', {}) // fails at /own/href
  },
  'href-object': () =>
    // @ts-expect-error: no parameter is an object
    href('/own/[call]', { call: { a: 1 } }), // fails at /own/href-object
  'redirect-status'() {
    // @ts-expect-error: no redirection has this status
    redirect('/', 200) // fails at /own/redirect-status
  },
  'http-error'() {
    throw new HttpError(500, 'x') // fails at /own/http-error
  },
  async 'create-server'() {
    await createServer({ dir: '' }) // fails at /own/create-server
  },
  'parse-digest'() {
    // @ts-expect-error: a digest is a string
    return parseDigest(1) // fails at /own/parse-digest
  },
  hook() {
    return useNavigation() // fails at /own/hook
  },
  react() {
    // @ts-expect-error: null is no element
    return cloneElement(null) // fails at /own/react
  },
}

export const load = ({ params }: LoadContext<'/own/[call]'>) => calls[params.call]?.()
