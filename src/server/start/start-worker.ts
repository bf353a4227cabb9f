import cluster, { type Worker } from 'node:cluster'
import { serveCopy } from '../build-output/build-copy.ts'
import type { Manifest } from '../build-output/manifest.ts'
import { createInstance } from '../create-server.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { createFailureStoreFor } from '../ledger/failure-store.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { createCalls, createDelegateLedger, createForwardingLedger } from '../ledger/ledger-rpc.ts'
import { createLedger } from '../ledger/open-ledger.ts'
import type { ConnectionDrain } from '../lifecycle/drain-connections.ts'
import { countInFlight } from '../lifecycle/in-flight.ts'
import { createListenError, listenHanded, SocketlessServer } from '../lifecycle/listen.ts'
import { handleShutdown } from '../lifecycle/shutdown.ts'
import { startWatchdog } from '../lifecycle/watchdog.ts'
import { createJsonLogging } from '../log/logger.ts'
import { NO_METRICS } from '../metrics/metrics-recorder.ts'
import { BEAT_MS, SUCCESSOR_VARIABLE, WORKER_VARIABLE } from './messages.ts'
import { createPrimaryChannel, createWorkerMetrics, type PrimaryChannel } from './primary-channel.ts'
import { answerCacheQuestions, openWorkerStore } from './shared-cache.ts'
import type { ServeInput } from './start-single.ts'

/** Makes this worker load the build that the primary has read. Returns its manifest. Throws the errors of `serveCopy`. */
export async function takeBuild(worker: Worker, folder: string): Promise<Manifest> {
  return serveCopy(folder, await createPrimaryChannel(worker).findBuild())
}

/** Serves as one of several workers, in a process that the primary has started. `name` is the worker's number. */
export async function startWorker(input: ServeInput, name: string): Promise<void> {
  const { worker } = cluster
  if (!worker) throw createHydrantError('HYD_WORKERS_NESTED', [])
  // Child processes of the site must not take themselves for workers.
  for (const variable of [WORKER_VARIABLE, SUCCESSOR_VARIABLE]) delete process.env[variable]
  const channel = createPrimaryChannel(worker)
  await sendBeats(channel)
  await serve(input, name, channel)
}

async function serve({ dir, folder, manifest, options }: ServeInput, name: string, channel: PrimaryChannel) {
  const metrics = createWorkerMetrics(channel, options.release || manifest.buildId)
  const server = new SocketlessServer(options)
  const instance = await createInstance({
    dir,
    folder,
    manifest,
    options,
    handed: { server, stopListening: channel.untilReleased },
    // The primary formats the lines for a terminal.
    logging: createJsonLogging(options.logLevel),
    metrics: options.admin ? metrics.recorder : NO_METRICS,
    worker: name,
    openCacheStore: (...of) => openWorkerStore(channel, ...of),
    getStore(log) {
      const ledger = createRemoteLedger(channel, () => createLedger(dir, options, log))
      return createFailureStoreFor(ledger, log)
    },
  })
  const { app, connections, store, release, build, cache } = instance
  store.subscribe(metrics.countFailure)
  const { stop, fail, detach } = handleShutdown(instance, options.timeouts, {
    closers: [...(cache ? [cache.close] : []), store.close, metrics.close],
    ignoresSignals: true,
    othersServe: true,
    onFail: () => void channel.send({ kind: 'leaving' }),
  })
  // SIGTERM may be sent to this process alone. The primary knows whether all processes are to stop.
  process.on('SIGTERM', () => void channel.send({ kind: 'asked' }))
  channel.listen((message) => {
    if (message.kind === 'stop') stop(message.how)
  })
  const addresses: string[] = []
  try {
    app.log.info({ release, build }, 'the site is loaded')
    server.listenAt(await findAddress(channel, options))
    channel.onConnection((socket) => server.take(socket))
    await listenHanded(app, (address) => {
      addresses.push(address)
      return `worker ${name} is ready at ${address}`
    })
  } catch (error) {
    detach()
    await app.close()
    await store.close()
    await metrics.close()
    throw error
  }
  channel.onClose(() => stop({ delayMs: 0, othersServe: false }))
  if (options.admin) {
    metrics.open()
    answerCacheQuestions(channel, cache)
  }
  reportInFlight(channel, connections)
  await channel.send({ kind: 'ready', addresses, served: { release, build } })
  await startWatchdog(options.timeouts.hangMs, app.log, fail)
}

/** Tells the primary that the event loop runs, and whether a debugger may pause it. */
async function sendBeats(channel: PrimaryChannel) {
  // Node.js can be built without the inspector.
  const debuggerUrl = process.features.inspector ? (await import('node:inspector')).url : () => undefined
  setInterval(() => void channel.send({ kind: 'beat', isDebugged: debuggerUrl() !== undefined }), BEAT_MS).unref()
}

async function findAddress(channel: PrimaryChannel, options: ServeInput['options']) {
  try {
    return await channel.findAddress(options)
  } catch (cause) {
    throw await createListenError(options, cause)
  }
}

/** The ledger of a worker: it calls the primary's, and opens a ledger of its own once the primary has exited. */
function createRemoteLedger(channel: PrimaryChannel, openLocal: () => Ledger): Ledger {
  const calls = createCalls((call) => void channel.send({ kind: 'call', call }))
  const remote = createForwardingLedger(calls.call, async () => {})
  let local: Ledger | null = null
  channel.listen((message) => {
    if (message.kind === 'answer') calls.settle(message.answer)
  })
  channel.onClose(() => calls.failAll(new Error('the primary has exited')))
  return createDelegateLedger(
    (work) => {
      if (channel.isOpen()) return work(remote)
      local ??= openLocal()
      return work(local)
    },
    async () => local?.close(),
  )
}

const INTERVAL_MS = 1_000

/** Reports this worker's requests in flight once a second, as a killed process logs nothing. Idle ones are silent. */
function reportInFlight(channel: PrimaryChannel, connections: Pick<ConnectionDrain, 'sockets'>) {
  let wasIdle = true
  function report() {
    const inFlight = countInFlight(connections.sockets())
    const isIdle = inFlight.size === 0
    if (!isIdle || !wasIdle) void channel.send({ kind: 'inFlight', inFlight })
    wasIdle = isIdle
  }
  setInterval(report, INTERVAL_MS).unref()
}
