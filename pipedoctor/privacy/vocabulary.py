"""Words that tell of nobody, and fields that hold nothing else."""

COMMON_WORDS = frozenset(
    "root nobody bucket "  # noqa: SIM905  (a list of words reads best as words)
    "daemon admin administrator user users guest test tester default "
    "shared public system service localhost localdomain local host torch pytorch "
    "python numpy pillow opencv nvidia cuda cudnn conda mamba jupyter jovyan notebook "
    "linux ubuntu debian fedora centos rocky alpine docker podman kubernetes slurm "
    "ray spark git build builder runner ci app web data dataset datasets home work "
    "workspace scratch datastore datastores tmp temp cache shm dev proc sys mnt opt usr var lib "
    "lib64 bin "
    "etc src project projects train trainer training model models gpu cpu node worker "
    "workers server client main master overlay tmpfs ext4 xfs nfs nvme virtio".split()
)
"""Words of the trade: nobody is known by such a name, outside of /home."""

PUBLIC_ACCOUNTS = frozenset(
    "root runner runneradmin ubuntu debian centos fedora rocky almalinux ec2-user"  # noqa: SIM905
    " azureuser opc core"
    " vagrant vscode codespace gitpod coder jovyan rstudio sagemaker-user studio-lab-user mambauser"
    " micromamba condauser rayproject airflow jenkins circleci gitlab-runner buildkite-agent"
    " vsts_azpcontainer linuxbrew model-server triton-server nonroot appuser nobody www-data"
    " hadoop"
    # groups and accounts of daemons that distributions make
    " sudo wheel adm audio video render docker dialout cdrom floppy plugdev lxd kvm libvirt netdev"
    " lpadmin sambashare systemd-journal systemd-network systemd-resolve systemd-timesync ssl-cert"
    " bluetooth scanner sgx messagebus polkitd syslog _apt uuidd tcpdump chrony postfix sshd rpc"
    " rpcuser munge slurm slurmd nslcd sssd avahi colord gdm lightdm nvidia-persistenced dnsmasq"
    " _chrony _rpc statd nogroup input tape kmem shadow utmp www-data zabbix telegraf".split()
)
"""Users that images and clouds make for everybody."""

NO_NAMES = frozenset(
    "true false none null cpu cuda device memory required failed ok yes no name string str not"  # noqa: SIM905
    " unknown invalid successful error id only via all any info warning warn debug critical fatal"
    " trace notice uid gid pid stdout stderr http https tcp udp unix ftp grpc ws wss file"
    " s3 gs hdfs".split()
)
"""What stands where a name would, and names nobody."""

EXAMPLE_ACCOUNTS = frozenset(
    "admin administrator user users guest root nobody default test tester system service anonymous"  # noqa: SIM905
    " none null __token__ oauth2accesstoken aws token x-access-token bearer".split()
)
"""Accounts that every documentation and every installation has."""

ROLES = frozenset(
    "noreply no-reply donotreply packages info support security contact help helpdesk dev devs team"  # noqa: SIM905
    " announce postmaster webmaster hello abuse opensource oss maintainers maintainer developers"
    " conduct bugs issues list lists discuss feedback license licensing press sales hpc-help"
    " hpc-support it-support mailer-daemon notifications bot dependabot github-actions".split()
)
"""What stands before ``@`` in addresses of nobody in particular."""

PUBLIC_FIELDS = frozenset(
    "system "  # noqa: SIM905  (as above)
    "release distribution machine container virtual notebook role fstype "
    "transport model scheduler name version kind manager implementation governor "
    "scaling_driver driver cuda device vendor capability build channel installer "
    "tags flags glibc conda_version pip_version requirement found".split()
)
"""Fields that hold terms and versions: only secrets are taken out of them."""

PUBLIC_BUCKETS = frozenset(
    "commoncrawl tfds-data open-images-dataset openimages cloud-tpu-checkpoints pytorch laion"  # noqa: SIM905
    " tensorflow tensorflow-nightly magenta arxiv-dataset fast-ai-imageclas fast-ai-coco nyc-tlc"
    " tcga-2-open openneuro.org spacenet-dataset sentinel-s2-l2a"
    " deeplearning-platform-release".split()
)
"""Of everybody's data and models."""
