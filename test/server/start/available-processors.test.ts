import t from 'tap'
import { availableProcessors } from '../../../src/server/start/available-processors.ts'

const count = (files: Record<string, string>, processors = 64) =>
  availableProcessors((path) => files[path] ?? null, processors)

t.test('the CPU quota of the control groups limits the number of processors', async (t) => {
  const inContainer = { '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/cpu.max': '250000 100000\n' }
  t.equal(count(inContainer), 2)
  t.equal(count(inContainer, 1), 1)
  t.equal(count({ ...inContainer, '/sys/fs/cgroup/cpu.max': '50000 100000\n' }), 1)
  t.equal(count({ ...inContainer, '/sys/fs/cgroup/cpu.max': 'max 100000\n' }), 64)
  const service = { '/proc/self/cgroup': '0::/system.slice/my-site.service\n' }
  t.equal(count({ ...service, '/sys/fs/cgroup/system.slice/my-site.service/cpu.max': '300000 100000\n' }), 3)
  t.equal(
    count({
      ...service,
      '/sys/fs/cgroup/system.slice/my-site.service/cpu.max': 'max 100000\n',
      '/sys/fs/cgroup/system.slice/cpu.max': '400000 100000\n',
    }),
    4,
    'the quota of the slice',
  )
})

t.test('so does a quota of the first version of control groups', async (t) => {
  const list = { '/proc/self/cgroup': '12:memory:/docker/1\n4:cpu,cpuacct:/docker/1\n0::/docker/1\n' }
  const quota = (folder: string, quota: string) => ({
    [`${folder}/cpu.cfs_quota_us`]: `${quota}\n`,
    [`${folder}/cpu.cfs_period_us`]: '100000\n',
  })
  t.equal(count({ ...list, ...quota('/sys/fs/cgroup/cpu,cpuacct/docker/1', '200000') }), 2)
  t.equal(count({ ...list, ...quota('/sys/fs/cgroup/cpu', '500000') }), 5, 'inside of a container')
  t.equal(count({ ...list, ...quota('/sys/fs/cgroup/cpu,cpuacct/docker/1', '-1') }), 64, 'no limit')
})

t.test('without control groups, all processors count', async (t) => {
  t.equal(count({}), 64)
  t.equal(count({ '/proc/self/cgroup': '0::/\n' }), 64)
  t.ok(availableProcessors() >= 1)
})
