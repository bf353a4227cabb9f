// Errors that come when a response has begun. Fastify passes them to its log controller only.

import type { FastifyInstance, FastifyReply, LogController } from 'fastify'
import { chainOf, findSymbol } from '../util/find-symbol.ts'

/** Takes errors that come when a response has begun. Both functions return false for an error that they do not log. */
export interface LateErrors {
  /** Takes the error of an `onResponse` hook. */
  failRoute(error: unknown, reply: FastifyReply): boolean
  /** Takes the error of a stream that was being sent. */
  failStream(error: unknown, reply: FastifyReply): boolean
}

/**
 * Takes the late errors of an instance's routes in an app that writes its own log. The instance gets a log controller
 * that passes everything else on to the one of the app.
 */
export function takeLateErrors(app: FastifyInstance, { failRoute, failStream }: LateErrors) {
  // Fastify has no function that replaces the log controller of one instance.
  const symbol = findSymbol(app, 'fastify.logController')
  const controller: unknown = symbol && Reflect.get(app, symbol)
  if (symbol === undefined || !isController(controller)) return
  const own = passOn(controller)
  own.requestCompleted = (error, request, reply) =>
    controller.requestCompleted(error && failRoute(error, reply) ? null : error, request, reply)
  own.streamError = (error, request, reply) => {
    if (!failStream(error, reply)) controller.streamError(error, request, reply)
  }
  Object.defineProperty(app, symbol, { value: own })
}

function isController(value: unknown): value is LogController {
  return typeof value === 'object' && value !== null && 'requestCompleted' in value && 'streamError' in value
}

/** Creates an object with the properties of a controller. The methods of a class with private fields need its `this`. */
function passOn(controller: LogController): LogController {
  const own = Object.create(controller) as LogController
  for (const name of chainOf(controller).flatMap((holder) => Object.getOwnPropertyNames(holder))) {
    const method: unknown = Reflect.get(controller, name)
    if (name !== 'constructor' && typeof method === 'function') Reflect.set(own, name, method.bind(controller))
  }
  return own
}
