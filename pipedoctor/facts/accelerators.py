"""Accelerator hardware and kernel drivers, without asking any driver library."""

from typing import ClassVar

from pipedoctor.facts.base import Fact, Part


class PciDevice(Part, frozen=True, kw_only=True):
    """A display or 3D controller on the PCI bus; ids in hexadecimal."""

    vendor: str
    """``10de`` NVIDIA, ``1002`` AMD, ``8086`` Intel."""
    device: str
    driver: str = ""
    """The kernel driver that is bound to it: ``nvidia``, ``nouveau``, ``vfio-pci``."""


class Xid(Part, frozen=True, kw_only=True):
    """An error that the NVIDIA kernel driver logged."""

    code: int
    count: int
    last: str = ""
    """The last line of it in the kernel log."""


class Accelerators(Fact, frozen=True, kw_only=True):
    """What /sys, /dev and /proc say of GPUs; None = not known."""

    section: ClassVar[str] = "accelerators"

    pci: tuple[PciDevice, ...] | None = None
    nvidia_module: str = ""
    """Version of the loaded NVIDIA kernel module; empty: none is loaded."""
    nvidia_nodes: tuple[str, ...] = ()
    """Device files: /dev/nvidia0, /dev/nvidiactl, /dev/nvidia-uvm ..."""
    uvm_loaded: bool | None = None
    unusable_nodes: tuple[str, ...] = ()
    """Device files that this user may not open for reading and writing."""
    rocm: bool = False
    """/dev/kfd is there."""
    jetson: bool = False
    xids: tuple[Xid, ...] | None = None
    compat_libcuda: tuple[str, ...] = ()
    """CUDA's forward-compatibility libraries: /usr/local/cuda/compat/libcuda.so.1."""
    toolkit: str = ""
    """A CUDA toolkit or its runtime outside of torch: ``12.4``, or what is known."""
    signs: tuple[str, ...] = ()
    """Other signs of NVIDIA parts that a text implies: ``some part of CUDA``."""

    @property
    def nvidia_devices(self) -> tuple[PciDevice, ...]:
        """NVIDIA's devices on the bus."""
        return tuple(d for d in self.pci or () if d.vendor == "10de")
