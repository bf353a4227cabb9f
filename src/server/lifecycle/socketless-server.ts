import { Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createHttpOptions } from '../guards/connection-limits.ts'
import type { Options } from '../options/options.ts'

/** An HTTP server that does not listen itself: its connections are handed to it. */
export class SocketlessServer extends Server {
  #address: AddressInfo | string | null = null
  #isListening = false
  #open = 0
  #onEmpty = () => {}

  constructor(options: Options) {
    const { http, keepAliveTimeout } = createHttpOptions(options)
    super({ ...http, keepAliveTimeout })
    // TypeScript does not allow an accessor here, because Node's types declare a property.
    Object.defineProperty(this, 'listening', { get: () => this.#isListening })
  }

  /** Sets the address from which the connections come. Must be called before `listen`. */
  listenAt(address: AddressInfo | string) {
    this.#address = address
  }

  /** Serves a connection. Closes it when `maxConnections` are open. */
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
    // All sockets of an HTTP server have this: a client may end its half of the connection once it has sent its
    // request.
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

  /** Calls `callback` when the last connection has ended. */
  override close(callback?: (error?: Error) => void): this {
    this.#isListening = false
    // Node's `close` passes an error, because the server has not listened.
    this.#onEmpty = () => void super.close(() => callback?.())
    this.closeIdleConnections()
    if (this.#open === 0) this.#onEmpty()
    return this
  }
}
