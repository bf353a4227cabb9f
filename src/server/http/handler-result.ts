/**
 * The promise of a route handler. It decides at the moment when Fastify reads the rejection whether Fastify gets it: in
 * a promise that is derived, a hook could send the response between the two.
 */
export class HandlerResult implements PromiseLike<unknown> {
  #promise: Promise<unknown>
  #takeThrown: (thrown: unknown) => boolean

  /** @param takeThrown Returns true for a thrown value that Fastify must not get. */
  constructor(promise: Promise<unknown>, takeThrown: (thrown: unknown) => boolean) {
    this.#promise = promise
    this.#takeThrown = takeThrown
  }

  // biome-ignore lint/suspicious/noThenProperty: Fastify calls it
  then<Value = unknown, Other = never>(
    onValue?: ((value: unknown) => Value | PromiseLike<Value>) | null,
    onThrown?: ((thrown: unknown) => Other | PromiseLike<Other>) | null,
  ): Promise<Value | Other> {
    return this.#promise.then(onValue, (thrown) => {
      if (this.#takeThrown(thrown)) return onValue?.(undefined) as Value
      if (onThrown) return onThrown(thrown)
      throw thrown
    })
  }

  // Plugins that wrap a handler may expect these methods of a promise.
  catch(onThrown?: ((thrown: unknown) => unknown) | null): Promise<unknown> {
    return this.then(undefined, onThrown)
  }

  finally(onEnd?: (() => void) | null): Promise<unknown> {
    return this.then().finally(onEnd)
  }
}
