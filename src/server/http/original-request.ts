import type { FastifyRequest } from 'fastify'

/** The objects of a request, by their recorders. */
const originals = new WeakMap<object, object>()

/** Declares that `recorder` is the recorder of `original`. */
export function setOriginal(recorder: object, original: object) {
  originals.set(recorder, original)
}

/** Returns the original of a recorder; any other value as it is. */
export function originalOf<Value>(value: Value): Value {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function'
  const original = isObject ? originals.get(value) : undefined
  // A recorder has the type of its original.
  return (original ?? value) as Value
}

/**
 * Returns Fastify's own request. The loads of a cached page get a recorder in its place. A `WeakMap` with requests
 * as keys has no entry for a recorder.
 */
export function originalRequest(request: FastifyRequest): FastifyRequest {
  return originalOf(request)
}
