import cluster from 'node:cluster';

/** Whether this process was started to be a worker. */
export const isWorker = (): boolean => cluster.isWorker;
