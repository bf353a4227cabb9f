import cluster from 'node:cluster'
import { createInstance } from '../create-server.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { createFailureStoreFor } from '../ledger/failure-store.ts'
import { createLedger } from '../ledger/open-ledger.ts'
import { HandedServer } from '../lifecycle/handed-server.ts'
import { createListenError, listenHanded } from '../lifecycle/listen.ts'
import { handleShutdown } from '../lifecycle/shutdown.ts'
import { startWatchdog } from '../lifecycle/watchdog.ts'
import { createJsonLogging } from '../log/logger.ts'
import { NO_METRICS } from '../metrics/metrics-recorder.ts'
import type { ServeInput } from '../start-single.ts'
import { SUCCESSOR_VARIABLE, WORKER_VARIABLE } from './messages.ts'
import { createLink, type PrimaryChannel } from './primary-channel.ts'
import { createRemoteLedger, type RemoteLedger } from './remote-ledger.ts'
import { createCounting } from './worker-metrics.ts'

/** Serves as one of several, for the primary that has started this process. `name` is its number. */
export async function startWorker(input: ServeInput, name: string): Promise<void> {
  const { worker } = cluster
  if (!worker) throw createHydrantError('HYD_WORKERS_NESTED', [])
  // Programs that the site starts are none.
  for (const variable of [WORKER_VARIABLE, SUCCESSOR_VARIABLE]) delete process.env[variable]
  await serve(input, name, createLink(worker))
}

async function serve({ dir, folder, options }: ServeInput, name: string, link: PrimaryChannel) {
  const counting = createCounting(link)
  const server = new HandedServer(options)
  let settle: RemoteLedger['settle'] = () => {}
  const instance = await createInstance({
    ...{ dir, folder, options },
    handed: { server, stopListening: link.untilReleased },
    // The primary makes it readable where people read it.
    logging: createJsonLogging(options.logLevel),
    metrics: options.admin ? counting.recorder : NO_METRICS,
    worker: name,
    findStore(log) {
      const remote = createRemoteLedger(link, () => createLedger(dir, options, log))
      settle = remote.settle
      return createFailureStoreFor(remote.ledger, log)
    },
  })
  const { app, store, release, build } = instance
  store.subscribe(counting.countFailure)
  async function closeStore() {
    await store.close()
    await counting.close()
  }
  async function close() {
    await app.close()
    await closeStore()
  }
  const {
    stop,
    fail,
    detach: leaveAlone,
  } = handleShutdown({ ...instance, store: { ...store, close: closeStore }, close }, options.timeouts, {
    ignoresSignals: true,
    othersServe: true,
    onFail: () => void link.send({ kind: 'leaving' }),
  })
  // Of all signals the one that is sent to a single process on purpose; the primary knows whether it was.
  process.on('SIGTERM', () => void link.send({ kind: 'asked' }))
  link.listen((message) => {
    switch (message.kind) {
      case 'stop':
        return stop(message.how)
      case 'answer':
        return settle(message.answer)
      case 'count':
        return counting.answer(message.id)
    }
  })
  const addresses: string[] = []
  try {
    app.log.info({ release, build }, 'the site is loaded')
    server.listenAt(await link.findAddress(options).catch((cause) => Promise.reject(createListenError(options, cause))))
    link.onConnection((socket) => server.take(socket))
    await listenHanded(app, (address) => {
      addresses.push(address)
      return `worker ${name} is ready at ${address}`
    })
  } catch (error) {
    leaveAlone()
    await close()
    throw error
  }
  link.onClose(() => stop({ delayMs: 0, othersServe: false }))
  await link.send({ kind: 'ready', addresses, served: { release, build } })
  if (options.admin) await counting.open()
  await startWatchdog(options.timeouts.hangMs, app.log, fail)
}
