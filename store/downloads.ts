import type { Access } from './access';
import { DownloadEntity } from './entities/download';
import { plain, plainOrNull } from './plain';
import type { Downloads } from './store';

export const downloadsOver = ({ read, write }: Access): Downloads => ({
  add: (row) =>
    write(async ({ manager }) => {
      await manager.insert(DownloadEntity, row);
    }),

  get: (id) => read(async ({ manager }) => plainOrNull(await manager.findOneBy(DownloadEntity, { id }))),

  list: (limit) =>
    read(async ({ manager }) => {
      const newestFirst = { createdAt: 'DESC', id: 'DESC' } as const;
      return (await manager.find(DownloadEntity, { order: newestFirst, take: limit })).map(plain);
    }),

  running: () =>
    read(async ({ manager }) => {
      const oldestFirst = { createdAt: 'ASC', id: 'ASC' } as const;
      return (await manager.find(DownloadEntity, { where: { state: 'running' }, order: oldestFirst })).map(plain);
    }),

  progress: (id, receivedBytes, totalBytes, updatedAt) =>
    write(async ({ manager }) => {
      const change = { receivedBytes, totalBytes, updatedAt };
      return (await manager.update(DownloadEntity, { id, state: 'running' }, change)).affected === 1;
    }),

  end: (id, { at, ...end }) =>
    write(async ({ manager }) => {
      const change = { ...end, updatedAt: at, finishedAt: at };
      return (await manager.update(DownloadEntity, { id, state: 'running' }, change)).affected === 1;
    }),
});
