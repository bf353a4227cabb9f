import { Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createHttpOptions } from '../guards/connection-limits.ts'
import type { Options } from '../options/options.ts'

/** An HTTP server that does not listen by itself: its connections are handed to it. */
export class HandedServer extends Server {
  #address: AddressInfo | string | null = null
  #isListening = false
  #open = 0
  #onEmpty = () => {}

  constructor(options: Options) {
    const { http, keepAliveTimeout } = createHttpOptions(options)
    super({ ...http, keepAliveTimeout })
    // To TypeScript it is no accessor.
    Object.defineProperty(this, 'listening', { get: () => this.#isListening })
  }

  /** Where its connections come from. To be called before `listen`. */
  listenAt(address: AddressInfo | string) {
    this.#address = address
  }

  /** Serves a connection as one of its own. */
  take(socket: Socket) {
    if (this.#open >= this.maxConnections) {
      this.emit('drop')
      return void socket.destroy()
    }
    this.#open++
    socket.once('close', () => {
      this.#open--
      if (this.#open === 0) this.#onEmpty()
    })
    // As of all sockets of an HTTP server: whoever has sent its request may end its half.
    socket.allowHalfOpen = true
    this.emit('connection', socket)
  }

  override listen(): this {
    this.#isListening = true
    setImmediate(() => this.emit('listening'))
    return this
  }

  override address() {
    return this.#address
  }

  override getConnections(callback: (error: Error | null, count: number) => void): this {
    setImmediate(callback, null, this.#open)
    return this
  }

  /** `callback` is called when the last connection has ended. */
  override close(callback?: (error?: Error) => void): this {
    this.#isListening = false
    // To Node.js it has not listened, which is an error.
    this.#onEmpty = () => void super.close(() => callback?.())
    this.closeIdleConnections()
    if (this.#open === 0) this.#onEmpty()
    return this
  }
}
